"""What can come out of a launch, whoever runs first? Many schedules, their outcomes, who did what when."""
