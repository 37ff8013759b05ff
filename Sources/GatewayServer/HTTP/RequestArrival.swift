internal import GatewayCore

/// The action that a whole head requires.
enum RequestArrival {
  /// Open a WebSocket; the upgrade request is valid.
  case upgrade(HTTPRequest)
  /// Answer the request. `awaitsContinue`: the peer sends the body after 100 (Continue); `takesChunks`: the answer may be
  /// chunked.
  case request(HTTPRequest, body: BodyFraming, awaitsContinue: Bool, Persistence, takesChunks: Bool)
  /// Reject a request whose body is above the limit. The site decides the form of the rejection.
  case tooLarge(HTTPRequest)
  /// Refuse a request that cannot be served.
  case refused(HTTPResponse, TransportRefusals.Reason)

  /// The way in which a body's end is found (RFC 9112 section 6.3).
  enum BodyFraming {
    case length(Int)
    case chunked
  }

  /// Reads the head.
  ///
  /// - Parameters:
  ///   - reading: The parsed head or its refusal.
  ///   - limits: The limits of the listener.
  ///   - bytesMax: A function that returns the most bytes of a request's body, for requests whose limit may be higher than
  ///     usual.
  init(_ reading: RequestHead.Reading, limits: ServerLimits, bytesMax: (HTTPRequest) -> Int = { _ in 0 }) {
    switch reading {
    case .refused(let response):
      self = .refused(response, response.status == 431 ? .tooLarge : .malformedRequest)
    case .head(let head):
      if UpgradeCheck.isUpgrade(head.request) {
        self =
          UpgradeCheck.refusal(of: head).map { .refused($0, .invalidUpgrade) } ?? .upgrade(head.request)
      } else {
        self.init(plain: head, limits: limits, bytesMax: bytesMax)
      }
    }
  }

  private init(plain head: RequestHead, limits: ServerLimits, bytesMax: (HTTPRequest) -> Int = { _ in 0 }) {
    let request = head.request
    let persistence = Persistence(of: head)
    let isModern = head.version == "HTTP/1.1"
    // Not for HTTP/1.0 (RFC 9110 section 10.1.1).
    let awaitsContinue = isModern && request.header("expect").map(RequestHead.lower) == "100-continue"
    if let coding = request.header("transfer-encoding") {
      // RFC 9112 section 6.1: it is faulty in HTTP/1.0; with a length beside it, one of the readers would be misled.
      guard isModern, request.header("content-length") == nil else {
        self = .refused(
          .plain(400, "Transfer-Encoding is HTTP/1.1's, and goes without Content-Length"), .malformedRequest)
        return
      }
      guard RequestHead.lower(coding) == "chunked" else {
        self = .refused(.plain(501, "the only transfer coding is chunked"), .malformedRequest)
        return
      }
      self = .request(
        request, body: .chunked, awaitsContinue: awaitsContinue, persistence, takesChunks: isModern)
      return
    }
    guard let text = request.header("content-length") else {
      self = .request(request, body: .length(0), awaitsContinue: false, persistence, takesChunks: isModern)
      return
    }
    guard let length = Int(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      self = .refused(.plain(400, "Content-Length is not a number"), .malformedRequest)
      return
    }
    guard length <= limits.bodyBytesMax || length <= bytesMax(request) else {
      self = .tooLarge(request)
      return
    }
    self = .request(
      request, body: .length(length), awaitsContinue: awaitsContinue, persistence, takesChunks: isModern)
  }
}
