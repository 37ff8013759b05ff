internal import GatewayCore

/// The credentials of an upgrade, with their verdict where that is known already.
final class Admitted: Sendable {
  let credentials: Credentials
  let verdict: Verdict?

  init(_ credentials: Credentials, _ verdict: Verdict?) {
    self.credentials = credentials
    self.verdict = verdict
  }
}
