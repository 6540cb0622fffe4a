"""What people do all day, measured in a browser."""
