"""The daemon's subject without HTTP and without a database: submits, errors, fair shares."""
