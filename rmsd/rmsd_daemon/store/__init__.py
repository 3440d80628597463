"""The database: tables, rows, transactions, schemas, repair."""
