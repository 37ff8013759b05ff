internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// A REST request with a known sender and a JSON object as its body.
struct StreamRequest: Sendable {
  let http: HTTPRequest
  let parameters: PathParameters
  let family: StreamFamily
  let caller: StreamCaller
  /// The body; an empty object if there was none.
  let body: StreamBody
  /// The arrival time of the request.
  let receivedAt: WallTime

  var dates: StreamDates { family.dates }

  /// Reads the query's `payload`, where Stream puts the body of a GET. Empty if there is none.
  func payload() throws(StreamError) -> StreamBody {
    guard let text = http.parameter("payload"), !text.isEmpty else { return .empty }
    return try StreamBody(Array(text.utf8), "payload")
  }

  /// Returns the user of the request: the caller, or the user that a server names by `user_id` or `user.id` in the body
  /// or by `user_id` in the query.
  func actingUser() throws(StreamError) -> UserID {
    if let user = caller.user { return user }
    var named = try body.string("user_id")
    if named == nil, let user = try body.object("user") { named = try user.string("id") }
    guard let named = named ?? http.parameter("user_id"), !named.isEmpty else {
      throw .input("either user or user_id must be provided when using server side auth.", field: "user_id")
    }
    return try StreamUser.checkedID(named)
  }
}
