"""What nbgrader knows in a student's server on a hub: the course's name, and where labs are exchanged."""

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "gpus"  # `name` in course.toml
c.Exchange.root = "/srv/exchange"  # a volume that all servers share
c.Exchange.path_includes_course = True  # students find a lab in gpus/<lab>/
