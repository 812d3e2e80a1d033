"""What is to be predicted: labels, indicators, numbers, one or several for each row."""
