package import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// A REST request whose sender is known and whose body is a JSON object: ann's for a call, for instance.
package struct StreamRequest: Sendable {
  package let http: HTTPRequest
  package let parameters: PathParameters
  package let family: StreamFamily
  package let caller: StreamCaller
  /// The body; an empty object if there was none.
  package let body: StreamBody
  /// When the request came.
  package let receivedAt: WallTime

  package var dates: StreamDates { family.dates }

  /// The query's `payload`: Stream puts the body of a GET there. Empty if there is none.
  package func payload() throws(StreamError) -> StreamBody {
    guard let text = http.parameter("payload"), !text.isEmpty else { return .empty }
    return try StreamBody(Array(text.utf8), "payload")
  }

  /// The user on whose behalf the request is: the caller, or whom a server names as `user_id` or `user.id` in the body
  /// or as `user_id` in the query.
  package func actingUser() throws(StreamError) -> UserID {
    if let user = caller.user { return user }
    var named = try body.string("user_id")
    if named == nil, let user = try body.object("user") { named = try user.string("id") }
    guard let named = named ?? http.parameter("user_id"), !named.isEmpty else {
      throw .input("either user or user_id must be provided when using server side auth.", field: "user_id")
    }
    return try StreamUser.checkedID(named)
  }
}
