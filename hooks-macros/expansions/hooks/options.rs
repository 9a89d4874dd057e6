#[hook(STEP_PRE, priority = after(LATE) - 1, enabled = false, modes = [cli, no_confirm], once, tool = "shell", confirmation)]
fn options() {}
