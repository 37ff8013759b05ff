internal import GatewayCore
internal import GatewayRuntime

/// The waves in a horizon: spans in which far more tokens end than in others.
enum Waves {
  /// A span of whole seconds ahead, and the number of tokens that end in it.
  struct Wave: Hashable {
    /// The seconds, counted from the present one.
    var seconds: Range<Int>
    var tokens: Int
  }

  /// The length of a span in which tokens are counted, in seconds.
  private static let length = 10
  /// The minimum factor over the average for a span that is part of a wave.
  private static let factor = 3
  /// The minimum number of tokens in such a span.
  private static let tokensMin = 10
  /// The minimum number of spans for the average. With it, tokens that all end in one span are a wave too.
  private static let spansMin = 12
  private static let countMax = 8

  /// Returns the waves of the next hour, the earliest first, at most eight.
  ///
  /// The average is taken over the time up to the last token. So tokens that live for five minutes and are renewed
  /// evenly are no wave, even if the rest of the hour is empty.
  static func all(in reading: HorizonReading) -> [Wave] {
    let spans = reading.buckets(of: length)
    let sum = spans.reduce(0, +)
    guard let last = spans.lastIndex(where: { $0 > 0 }) else { return [] }
    let average = Double(sum) / Double(max(last + 1, spansMin))
    let isHigh = spans.map { $0 >= tokensMin && Double($0) > average * Double(factor) }
    var waves: [Wave] = []
    var place = 0
    while place < spans.count {
      guard isHigh[place] else {
        place += 1
        continue
      }
      let begin = place
      while place < spans.count && isHigh[place] { place += 1 }
      // The spans on both sides are included, since the edges of spans cut through waves.
      let whole = max(0, begin - 1) * length..<min(spans.count, place + 1) * length
      waves.append(narrowed(whole, in: reading, share: Double(sum) / Double((last + 1) * length)))
    }
    return merged(waves, in: reading).prefix(countMax).map(\.self)
  }

  /// Returns the wave without the seconds at both ends in which no more tokens expire than usual.
  private static func narrowed(_ span: Range<Int>, in reading: HorizonReading, share: Double) -> Wave {
    let seconds = span.filter { Double(reading.seconds[$0]) > share }
    guard let first = seconds.first, let last = seconds.last else { return Wave(seconds: span, tokens: 0) }
    return wave(first..<last + 1, in: reading)
  }

  private static func wave(_ span: Range<Int>, in reading: HorizonReading) -> Wave {
    Wave(seconds: span, tokens: reading.seconds[span].reduce(0) { $0 + Int($1) })
  }

  /// Returns the waves with overlapping ones merged, which may result from the included spans on both sides.
  private static func merged(_ waves: [Wave], in reading: HorizonReading) -> [Wave] {
    waves.reduce(into: []) { merged, next in
      if let last = merged.last, last.seconds.overlaps(next.seconds) {
        let end = max(last.seconds.upperBound, next.seconds.upperBound)
        merged[merged.count - 1] = wave(last.seconds.lowerBound..<end, in: reading)
      } else {
        merged.append(next)
      }
    }
  }
}
