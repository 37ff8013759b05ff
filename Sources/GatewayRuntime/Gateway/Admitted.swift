internal import GatewayCore

/// The credentials of an upgrade, with their verdict where that is known already. Where the wire refuses before the
/// 101, a JWT in the query is judged there and then, for instance; an opaque token comes without.
final class Admitted: Sendable {
  let credentials: Credentials
  let verdict: Verdict?

  init(_ credentials: Credentials, _ verdict: Verdict?) {
    self.credentials = credentials
    self.verdict = verdict
  }
}
