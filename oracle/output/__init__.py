"""What people see: tables, pages, pictures and progress."""
