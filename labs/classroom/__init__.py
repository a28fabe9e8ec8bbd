"""How does a class get its labs, and its grades? `python -m classroom` in the folder of a course.

course.toml ──► setting_up ──► release/             what students get
handed-in/  ──► class_run: a job for each submission ──► places: processes here, or workers of Dask
    apart   ──► a process of its own: reading ──► mending ──► a notebook that can be graded, or "look by hand"
            ──► twice: in the student's kernel; the checks in a fresh one, which asks a third: each in a box
                (predicted: once more without the simulator, where a prediction may come from a run)
                ──► grading, one after another: submitted/, gradebook.db, records/
            ──► pages (marking, feedback) and grades.csv
"""
