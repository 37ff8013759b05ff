internal import GatewayCore

/// The credentials of an upgrade, with their verdict if the wire judges them before the 101.
///
/// A JWT in the query is judged then; an opaque token has no verdict yet.
final class Admitted: Sendable {
  let credentials: Credentials
  let verdict: Verdict?

  init(_ credentials: Credentials, _ verdict: Verdict?) {
    self.credentials = credentials
    self.verdict = verdict
  }
}
