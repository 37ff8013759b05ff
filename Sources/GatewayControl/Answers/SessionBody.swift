internal import GatewayCore
internal import GatewayRuntime

/// A session in JSON.
package struct SessionBody: Codable, Sendable {
  package let id: String
  package let dialect: String
  package let phase: String
  package let userID: String?
  package let userKind: String?
  package let tokenFingerprint: String?
  package let expiresInMs: Int64?
  package let deadlineInMs: Int64?
  package let ageMs: Int64
  package let silenceMs: Int64
  package let calls: [String]
  package let peer: String
  /// The name of the process that has the session; absent where there is one process.
  package var node: String?

  private enum CodingKeys: String, CodingKey {
    case id, dialect, phase, calls, peer, node
    case userID = "user_id"
    case userKind = "user_kind"
    case tokenFingerprint = "token_fingerprint"
    case expiresInMs = "expires_in_ms"
    case deadlineInMs = "deadline_in_ms"
    case ageMs = "age_ms"
    case silenceMs = "silence_ms"
  }

  init(_ summary: SessionSummary) {
    id = summary.id.description
    dialect = summary.dialect
    phase = summary.phase
    userID = summary.user?.rawValue
    userKind = summary.kind?.rawValue
    tokenFingerprint = summary.fingerprint?.description
    expiresInMs = summary.expiresIn?.milliseconds
    deadlineInMs = summary.deadlineIn?.milliseconds
    ageMs = summary.age.milliseconds
    silenceMs = summary.silence.milliseconds
    calls = summary.calls.map(\.cid)
    peer = summary.peer
  }
}
