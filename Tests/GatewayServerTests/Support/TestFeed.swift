import GatewayCore
import GatewayServer

/// The body of an answer that a test controls, and records of its use.
final class TestFeed: Sendable {
  /// How many times a piece was requested.
  let asked = Box(0)
  /// The number of released streams, and of sources that were cancelled while they waited.
  let released = Box(0)
  let cancelled = Box(0)
  private let endsByItself: Bool
  private let pieces: AsyncStream<[UInt8]>
  private let giving: AsyncStream<[UInt8]>.Continuation

  init(endsByItself: Bool = false) {
    self.endsByItself = endsByItself
    (pieces, giving) = AsyncStream.makeStream()
    giving.onTermination = { [cancelled] reason in
      if case .cancelled = reason { cancelled.update { $0 += 1 } }
    }
  }

  func give(_ text: String) { giving.yield(Array(text.utf8)) }

  func give(_ piece: [UInt8]) { giving.yield(piece) }

  func end() { giving.finish() }

  /// An answer with this body, for one request.
  var response: HTTPResponse {
    let held = Held(released)
    return HTTPResponse(
      stream: HTTPStream(endsByItself: endsByItself) { [pieces, asked] in
        withExtendedLifetime(held) { asked.update { $0 += 1 } }
        for await piece in pieces { return piece }
        return nil
      })
  }

  /// Returns an answer whose source always has a piece.
  func flood(_ piece: [UInt8], times: Int = .max) -> HTTPResponse {
    let held = Held(released)
    return HTTPResponse(
      stream: HTTPStream(endsByItself: endsByItself) { [asked] in
        let isMore = withExtendedLifetime(held) {
          asked.update { count -> Bool in
            count += 1
            return count <= times
          }
        }
        return isMore ? piece : nil
      })
  }

  /// A site that answers `/feed` with it, and other paths as usual.
  var site: TestSite { site { [self] in response } }

  func site(_ answer: @escaping @Sendable () -> HTTPResponse) -> TestSite {
    var site = TestSite()
    let usual = site.onRespond
    site.onRespond = { request, loop in request.path == "/feed" ? answer() : await usual(request, loop) }
    return site
  }

  private final class Held: Sendable {
    private let released: Box<Int>

    init(_ released: Box<Int>) { self.released = released }

    deinit { released.update { $0 += 1 } }
  }
}
