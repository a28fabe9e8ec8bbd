// A page opened from the file system may not read the other pages, so search shows titles there, without excerpts.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
