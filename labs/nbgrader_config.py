"""How does nbgrader read this folder? `instructor/<lab>/` is the source, `<lab>/` is what students open.

`nbgrader autograde` runs answers and checks in one Python, without a box: a cell can make a check say what it
likes.
Grades that can be trusted come from `make grade`.
"""

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "gpusim"
c.CourseDirectory.source_directory = "instructor"
c.CourseDirectory.release_directory = "."
# What students hand in stays out of the way, and out of the repository.
c.CourseDirectory.submitted_directory = "grading/submitted"
c.CourseDirectory.autograded_directory = "grading/autograded"
c.CourseDirectory.feedback_directory = "grading/feedback"

# A comment: the starter code around it runs, and fails its checks.
c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE"}
c.ClearSolutions.text_stub = "*Your answer here.*"

# A cell that never ends is interrupted, and the cells after it are graded.
c.ExecutePreprocessor.timeout = 60
c.ExecutePreprocessor.interrupt_on_timeout = True

# A warning on the error stream costs no points: nbgrader takes any such output of a check for a failure.
c.IgnorePattern.enabled = True
c.IgnorePattern.pattern = "."
