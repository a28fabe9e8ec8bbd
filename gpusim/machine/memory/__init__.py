"""Arrays, pointers and addresses: which bytes does each lane mean?"""
