"""How does a class get its labs, and its grades? `python -m classroom` in the folder of a course.

course.toml ──► setting_up ──► release/             what students get
handed-in/  ──► reading ──► mending ──► submitted/  a notebook that nbgrader can read, or "look by hand"
            ──► twice: in the student's kernel, and the checks in a fresh one, both in a box ──► gradebook.db
            ──► pages (marking, feedback) and grades.csv
"""
