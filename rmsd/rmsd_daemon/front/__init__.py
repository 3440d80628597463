"""The front of the API: connections, TLS, access rights, and limits of requests and answers."""
