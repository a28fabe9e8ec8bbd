"""What views receive: a report is frozen, and holds numbers and texts only. `as_dict()` is its JSON.

A module for each kind. They know neither the machine nor who fills them in, so that whatever draws a report
needs nothing else; `schema` says what the JSON of each may hold.
"""
