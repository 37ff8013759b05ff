package import GatewayCore

/// The program behind a listening port: it decides about upgrades and answers HTTP requests.
package protocol Site: Sendable {
  /// Judges an upgrade request before the 101. Only on the loop.
  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission

  /// Answers a plain request. Runs on the loop, and stays there but for what it awaits elsewhere. Adds CORS fields
  /// itself; the server adds what belongs to the connection.
  nonisolated(nonsending) func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse

  /// Returns the response for an error that the transport found in `request`, whose body was not read.
  func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse

  /// The maximum number of bytes of the body, where `request` uploads a file and that is more than other bodies may
  /// have.
  func uploadBytesMax(for request: HTTPRequest) -> Int?

  /// Whether a body that is above the limit is given to ``respond(to:on:)`` in pieces, as `HTTPRequest.stream`, instead of being
  /// refused. Asked only about such bodies.
  func passesBody(of request: HTTPRequest) -> Bool
}

extension Site {
  /// Files are bodies like others.
  package func uploadBytesMax(for request: HTTPRequest) -> Int? { nil }

  /// Large bodies are refused.
  package func passesBody(of request: HTTPRequest) -> Bool { false }

  /// A line of text.
  package func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      status: error.httpStatus, contentType: "text/plain; charset=utf-8", text: error.message + "\n")
  }
}

/// The answer to an upgrade request: the socket's handler, or a refusal.
package enum Admission: Sendable {
  /// 101 with `subprotocol` if there is one. Next the handler gets ``SocketHandler/socketOpened(_:)``, or
  /// ``SocketHandler/socketRefused(_:)`` if the peer is gone by then.
  case accept(any SocketHandler, subprotocol: String?)
  /// This answer in place of 101.
  case refuse(HTTPResponse)
  /// No answer: the client waits until it gives up, for at most a quarter of an hour.
  case ignore
  /// An answer that comes later, on the same loop; until then the client waits as for ``ignore``.
  case later(PendingUpgrade)
}
