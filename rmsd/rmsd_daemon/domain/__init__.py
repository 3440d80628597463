"""What the daemon is about, without HTTP and without a database: submits, errors, fair shares."""
