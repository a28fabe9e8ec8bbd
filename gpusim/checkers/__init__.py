"""Is the kernel right? Observers that look for what Compute Sanitizer looks for, in every launch they see."""
