import GatewayKit

/// The command `postern man`: it prints the manual page, made from the declarations of commands and flags.
enum ManCommand: Command {
  static let name = "man"
  static let summary = "the manual page, for man(1)"
  static let example = "postern man | man -l -"
  static let sections: [FlagSection] = []

  static func run(_: Arguments) async throws -> Int32 {
    Output.line(ManualPage.text(of: Postern.commands))
    return 0
  }
}
