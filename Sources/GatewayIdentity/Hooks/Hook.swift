/// The questions that the application's own backend is asked.
enum Hook: String, CaseIterable, Sendable {
  /// Whether a client is let in.
  case connect
  /// Whether a session goes on.
  case refresh
  /// Whether a user may do what a command says.
  case commands

  /// The name of its endpoint in metrics and in the log.
  var endpoint: String { "hook_\(rawValue)" }

  /// The name of a question's span.
  var span: String { "hook \(rawValue)" }
}
