package import GatewayCore

/// The program behind a listening port, the gateway's own or the control port's for instance: sockets to some, answers
/// to the rest.
package protocol Site: Sendable {
  /// Judges an upgrade request before the 101. Only on the loop.
  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission

  /// Answers a plain request. Runs on the loop, and stays there but for what it awaits elsewhere. Adds CORS fields
  /// itself; the server adds what belongs to the connection.
  nonisolated(nonsending) func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse

  /// How an error that the transport finds is said to who sent `request`, of which the body was not read.
  func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse

  /// The most bytes of the body, where `request` uploads a file and that is more than other bodies may have.
  func uploadBytesMax(for request: HTTPRequest) -> Int?
}

extension Site {
  /// Files are bodies like others.
  package func uploadBytesMax(for request: HTTPRequest) -> Int? { nil }

  /// A line of text.
  package func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      status: error.httpStatus, contentType: "text/plain; charset=utf-8", text: error.message + "\n")
  }
}

/// The answer to an upgrade request: 101 with the socket's handler, or 401 in its place, for instance.
package enum Admission: Sendable {
  /// 101, choosing `subprotocol` if there is one. The handler hears ``SocketHandler/socketOpened(_:)`` next, or
  /// ``SocketHandler/socketRefused(_:)`` if the peer is gone by then.
  case accept(any SocketHandler, subprotocol: String?)
  /// This answer in place of 101.
  case refuse(HTTPResponse)
  /// No answer at all: the client waits until it gives up, for a quarter of an hour at most.
  case ignore
}
