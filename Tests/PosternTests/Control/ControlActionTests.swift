import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import postern

struct ControlActionTests {
  private static func arguments(_ words: String...) throws -> Arguments {
    try Arguments(words, flags: ControlCommand.flags, environment: [:], operands: true, among: Postern.commands)
  }

  @Test
  func `every action has a summary, a help with its flags, and an example that calls it`() {
    #expect(ControlCommand.actions.count > 10)
    for action in ControlCommand.actions {
      let text = HelpText(columns: 100).of(action)
      #expect(text.contains("usage: postern \(action.name) [flags]") && text.contains("--control-secret-file"))
      #expect(action.example.hasPrefix("postern \(action.name)"))
      #expect(!action.summary.isEmpty)
      for flag in action.flags { #expect(ControlCommand.flags.contains { $0.name == flag.name }, "\(flag.name)") }
    }
    let overview = HelpText(columns: 100).of(ControlCommand.page)
    #expect(ControlCommand.actions.allSatisfy { overview.contains("  \($0.name.dropFirst(4)) ") })
  }

  @Test
  func `an order goes to one session, to a user's, or to all, and without a target it is an error`() throws {
    let user = try ControlAction.expire.order(Self.arguments("expire", "--user", "a b/c"), .init()).request
    #expect(user.path == "/users/a%20b%2Fc/expire")
    let refresh = try ControlAction.refresh.order(Self.arguments("refresh", "--all"), .init())
    #expect(refresh.request.path == "/sessions/refresh")
    let session = try ControlAction.disconnect.order(
      Self.arguments("disconnect", "--session", "conn_0_1", "--code", "4321", "--reason", "x"), .init()
    ).request
    #expect(
      session.path == "/sessions/conn_0_1/disconnect" && session.body == Array(#"{"code":4321,"reason":"x"}"#.utf8))
    for words in [["expire"], ["expire", "--all", "--user", "a"], ["expire", "--session", "s", "--user", "a"]] {
      #expect(throws: UsageError.self) {
        try ControlAction.expire.order(
          Arguments(words, flags: ControlCommand.flags, environment: [:], operands: true, among: Postern.commands),
          .init())
      }
    }
    #expect(throws: UsageError.self) { try ControlAction.revoke.order(Self.arguments("revoke"), .init()) }
  }

  @Test
  func `a drain's window is sent to the millisecond`() throws {
    let request = try ControlAction.drain.order(Self.arguments("drain", "--window", "1500ms"), .init()).request
    #expect(request.body == Array(#"{"window_s":1.5}"#.utf8))
  }
}
