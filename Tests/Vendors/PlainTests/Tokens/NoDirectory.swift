import GatewayCore
import GatewayPlain

/// A directory in which there is nothing.
struct NoDirectory: Directory {
  func makeGuest(wish: String?) async throws(GatewayError) -> UserID { throw .tooMany }
  func getOrCreateCall(_: CallID, by: UserID, at: WallTime) async throws(GatewayError) -> CallRecord { throw .tooMany }
  func call(_: CallID) async -> CallRecord? { nil }
  func join(_: CallID, user: UserID) async throws(GatewayError) -> CallRecord { throw .notFound }
  func storeAccessToken(hash: [UInt8], _: AccessTokenRecord) async throws(GatewayError) { throw .tooMany }
  func accessToken(hash: [UInt8], at: WallTime) async -> AccessTokenRecord? { nil }
}
