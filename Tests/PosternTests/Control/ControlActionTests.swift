import GatewayKit
import TestSupport
import Testing

@testable import postern

@Suite("What postern ctl does")
struct ControlActionTests {
  private static func arguments(_ words: String...) throws -> Arguments {
    try Arguments(words, flags: ControlCommand.flags, environment: [:], operands: true)
  }

  @Test("every action has a summary, a help with its flags, and an example that calls it")
  func help() {
    #expect(ControlCommand.actions.count == 15)
    for action in ControlCommand.actions {
      let text = HelpText(columns: 100).of(action)
      #expect(text.contains("usage: postern \(action.name) [flags]") && text.contains("--control-secret-file"))
      #expect(action.example.hasPrefix("postern \(action.name)"))
      #expect(!action.summary.isEmpty)
      for flag in action.flags { #expect(ControlCommand.flags.contains { $0.name == flag.name }, "\(flag.name)") }
    }
    let overview = HelpText(columns: 100).of(ControlCommand.self)
    #expect(ControlCommand.actions.allSatisfy { overview.contains("  \($0.name.dropFirst(4)) ") })
  }

  @Test("an order goes to one session, a user's, or all, and to nobody in particular it is a mistake")
  func targets() throws {
    let user = try ExpireAction.request(Self.arguments("expire", "--user", "a b/c"), nil)
    #expect(user.path == "/users/a%20b%2Fc/expire")
    #expect(try RefreshAction.request(Self.arguments("refresh", "--all"), nil).path == "/sessions/refresh")
    let session = try DisconnectAction.request(
      Self.arguments("disconnect", "--session", "conn_0_1", "--code", "4321", "--reason", "x"), nil)
    #expect(session.path == "/sessions/conn_0_1/disconnect" && session.body["code"] as? Int == 4321)
    for words in [["expire"], ["expire", "--all", "--user", "a"], ["expire", "--session", "s", "--user", "a"]] {
      #expect(throws: UsageError.self) {
        try ExpireAction.request(
          Arguments(words, flags: ControlCommand.flags, environment: [:], operands: true), nil)
      }
    }
    #expect(throws: UsageError.self) { try RevokeAction.request(Self.arguments("revoke"), nil) }
  }

  @Test("a drain's window is told to the millisecond")
  func window() throws {
    let request = try DrainAction.request(Self.arguments("drain", "--window", "1500ms"), nil)
    #expect(request.body["window_s"] as? Double == 1.5)
  }
}
