internal import GatewayCore

/// What a whole head asks for, and what the library is shown in its place.
///
/// The library learns from a head only what it needs itself: whether to become a WebSocket, with which key, and how long
/// the body is.
enum RequestArrival {
  /// A WebSocket, which may be had.
  case upgrade(HTTPRequest)
  /// An answer. `awaitsContinue`: the peer sends the body after 100 (Continue).
  case request(HTTPRequest, body: BodyFraming, awaitsContinue: Bool)
  /// A request whose body is above the limit: whose it is decides how that is said.
  case tooLarge(HTTPRequest)
  /// Nothing that can be served. `readsOn`: the peer has not sent all of it, so that closing at once could lose the
  /// answer in a reset.
  case refused(HTTPResponse, TransportRefusals.Reason, readsOn: Bool)

  /// How a body's end is found (RFC 9112 section 6.3).
  enum BodyFraming {
    case length(Int)
    case chunked
  }

  init(_ reading: RequestHead.Reading, limits: ServerLimits) {
    switch reading {
    case .refused(let response):
      self = .refused(response, response.status == 431 ? .tooLarge : .malformedRequest, readsOn: false)
    case .head(let head):
      if UpgradeCheck.isUpgrade(head.request) {
        self =
          UpgradeCheck.refusal(of: head).map { .refused($0, .invalidUpgrade, readsOn: false) } ?? .upgrade(head.request)
      } else {
        self.init(plain: head, limits: limits)
      }
    }
  }

  private init(plain head: RequestHead, limits: ServerLimits) {
    let request = head.request
    // Not of HTTP/1.0 (RFC 9110 section 10.1.1).
    let awaitsContinue = head.version == "HTTP/1.1" && request.header("expect").map(RequestHead.lower) == "100-continue"
    if let coding = request.header("transfer-encoding") {
      // RFC 9112 section 6.1: of HTTP/1.0 it is faulty, and with a length beside it somebody is being misled.
      guard head.version == "HTTP/1.1", request.header("content-length") == nil else {
        self = .refused(
          .plain(400, "Transfer-Encoding is HTTP/1.1's, and goes without Content-Length"), .malformedRequest,
          readsOn: true)
        return
      }
      guard RequestHead.lower(coding) == "chunked" else {
        self = .refused(.plain(501, "the only transfer coding is chunked"), .malformedRequest, readsOn: true)
        return
      }
      self = .request(request, body: .chunked, awaitsContinue: awaitsContinue)
      return
    }
    guard let text = request.header("content-length") else {
      self = .request(request, body: .length(0), awaitsContinue: false)
      return
    }
    guard let length = Int(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      self = .refused(.plain(400, "Content-Length is not a number"), .malformedRequest, readsOn: false)
      return
    }
    guard length <= limits.bodyBytesMax else {
      self = .tooLarge(request)
      return
    }
    self = .request(request, body: .length(length), awaitsContinue: awaitsContinue)
  }

  /// A length that no body reaches before a time-out: its end is found, or not looked for, by us.
  private static let endless = 1 << 30

  /// The head that the library reads in place of the one that came; at most 256 bytes.
  var standIn: String {
    switch self {
    case .upgrade(let request):
      "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: \(request.header("sec-websocket-key") ?? "")\r\n\r\n"
    case .request(_, .length(0), _), .refused(_, _, readsOn: false): "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    case .request(_, .length(let length), _): Self.post(length)
    case .request(_, .chunked, _), .tooLarge, .refused(_, _, readsOn: true): Self.post(Self.endless)
    }
  }

  private static func post(_ length: Int) -> String {
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n"
  }
}
