import GatewayCore
import GatewayServer

/// The body of an answer in a test's hand, and what becomes of it.
final class TestFeed: Sendable {
  /// How often a piece was asked for.
  let asked = Box(0)
  /// How many streams have been let go of, and how many sources were cancelled while they waited.
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

  /// An answer with it, to one request.
  var response: HTTPResponse {
    let held = Held(released)
    return HTTPResponse(
      stream: HTTPStream(endsByItself: endsByItself) { [pieces, asked] in
        withExtendedLifetime(held) { asked.update { $0 += 1 } }
        for await piece in pieces { return piece }
        return nil
      })
  }

  /// An answer whose source has a piece whenever it is asked for one.
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

  /// A site that answers `/feed` with it, and the rest as ever.
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
