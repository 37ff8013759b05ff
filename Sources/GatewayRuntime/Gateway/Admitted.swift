internal import GatewayCore

/// The credentials of an upgrade, with their verdict if the wire judges them before the 101.
///
/// A JWT in the query is judged then; an opaque token has no verdict yet.
final class Admitted: Sendable {
  /// Nil if the upgrade has none.
  let credentials: Credentials?
  let verdict: Verdict?
  /// The origin of the upgrade, for the gateway's attendant; nil without one.
  let origin: UpgradeOrigin?
  /// The traced operation that the upgrade has begun; nil without traces.
  let trail: TraceOperation?

  init(
    _ credentials: Credentials?, _ verdict: Verdict?, from origin: UpgradeOrigin? = nil, on trail: TraceOperation? = nil
  ) {
    self.credentials = credentials
    self.verdict = verdict
    self.origin = origin
    self.trail = trail
  }
}
