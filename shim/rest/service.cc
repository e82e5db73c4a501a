// Stub until the module lands.
