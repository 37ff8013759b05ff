internal import GatewayCore
internal import GatewayJSON

/// A collector's answer to posted spans.
enum CollectorAnswer: Equatable {
  /// It has taken all but that many.
  case taken(rejected: UInt64, String)
  /// The same body may be posted again; after the pause, if it names one.
  case later(Duration?)
  case refused

  private static let repeated: Set<Int> = [429, 502, 503, 504]
  /// A collector that wants to be left alone for longer is asked again after that.
  private static let pauseMax = Duration.seconds(300)
  private static let wordsMax = 200

  init(_ response: HTTPResponse, at now: WallTime) {
    switch response.status {
    case 200...299:
      let (rejected, words) = Self.partial(response.body)
      self = .taken(rejected: rejected, words)
    case let status where Self.repeated.contains(status):
      self = .later(RetryAfter.read(response, at: now).map { min($0, Self.pauseMax) })
    default: self = .refused
    }
  }

  /// Returns the number of rejected spans, and why.
  private static func partial(_ body: [UInt8]) -> (UInt64, String) {
    guard let document = try? JSONDocument.parse(body), let partial = document.root["partialSuccess"] else {
      return (0, "")
    }
    let count = partial["rejectedSpans"]
    // A number of 64 bits is text in OTLP's JSON; a reader takes both.
    let rejected = count?.string.flatMap { UInt64($0) } ?? count?.integer.flatMap { UInt64(exactly: $0) } ?? 0
    return (rejected, String((partial["errorMessage"]?.string ?? "").prefix(wordsMax)))
  }
}
