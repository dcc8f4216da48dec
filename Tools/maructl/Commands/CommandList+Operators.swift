extension CommandList {
    private static let name = Command.Argument("name", .operatorName)
    private static let role = Command.Option(
        "role", .choice(["operator", "viewer"]), "operator, or viewer for reading only; operator")

    static let operators: [Command] = [
        Command(
            "operators list", [], "lists the operators that have a credential of their own", .operators(nil)),
        Command(
            "operators add", [name], options: [role],
            "gives an operator a credential of their own, and shows it once", .operators(.add)),
        Command(
            "operators rotate", [name], "gives an operator a new credential, and shows it once",
            harm: "This ends the credential that operator {name} has.", .operators(.rotate)),
        Command(
            "operators remove", [name], "ends the credential of an operator",
            harm: "This ends the credential of operator {name}.",
            .operators(.remove)),
    ]
}
