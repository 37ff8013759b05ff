import Foundation
import GatewayKit

/// The control API from a shell.
enum ControlCommand: Command {
  static let name = "ctl"
  static let summary = "the control API of a running gateway from a shell"
  static var operands: String {
    controlActions.map { $0.word + ($0.operands.isEmpty ? "" : " \($0.operands)") }.joined(separator: "|")
  }
  static let example = "postern ctl expire --user ann --url http://127.0.0.1:8081"
  static let usualURL = "http://127.0.0.1:8081"

  static var actions: [any Command.Type] { controlActions }
  private static var controlActions: [any ControlAction.Type] {
    [
      HealthAction.self, ReadyAction.self, MetricsAction.self, SettingsAction.self, SessionsAction.self,
      SessionAction.self, ExpireAction.self, RefreshAction.self, DisconnectAction.self, RevokeAction.self,
      DrainAction.self, StreemCompanyAction.self, StreemAPIKeyAction.self, StreemAPIKeysAction.self,
      StreemRevokeAPIKeyAction.self,
    ]
  }

  /// What every action has.
  static let connection = FlagSection(
    "the control port",
    [
      Flag("url", "URL", "the control port (default \(usualURL))"),
      Flag("control-secret-file", "FILE", "the bearer secret of a control port that is not on loopback"),
      Flag("json", nil, "print what the gateway answers, as JSON"),
    ])

  static let sections = [FlagSection("what actions take (postern ctl ACTION --help tells which)", taken), connection]

  /// The flags of all actions, each name once.
  private static let taken: [Flag] = controlActions.reduce(into: []) { flags, action in
    for flag in action.ownFlags where !flags.contains(where: { $0.name == flag.name }) { flags.append(flag) }
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let words = controlActions.map { $0.word }.joined(separator: ", ")
    guard let word = arguments.operands.first else { throw UsageError("ctl needs an action: \(words)") }
    guard let action = controlActions.first(where: { $0.word == word }) else {
      let near = Suggestion.question(Suggestion.near(word, among: controlActions.map { $0.word }))
      throw UsageError("ctl: '\(word)' is no action\(near) (there are \(words))")
    }
    return try await action.run(arguments)
  }

  static func escaped(_ segment: String) -> String {
    segment.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? ""
  }
}
