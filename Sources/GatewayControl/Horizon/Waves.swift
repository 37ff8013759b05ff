internal import GatewayRuntime

/// The waves in a horizon: spans in which far more tokens end than in others, 15,000 between the 290th and the 300th second
/// for instance.
enum Waves {
  /// A span of whole seconds ahead, and how many tokens end in it: 15,000 in the seconds 58 and 59, for instance.
  struct Wave: Hashable {
    /// Seconds from the one that has begun.
    var seconds: Range<Int>
    var tokens: Int
  }

  /// In which spans tokens are counted.
  private static let length = 10
  /// How many more than on average must end in a span that is part of a wave.
  private static let factor = 3
  /// Fewer are no wave.
  private static let tokensMin = 10
  /// The average is of as many spans at least: all tokens in one span are a wave too.
  private static let spansMin = 12
  private static let countMax = 8

  /// Those of the next hour, the earliest first, eight at most.
  ///
  /// The average is taken over the time up to the last token: what lives for five minutes, and is renewed as evenly, is no
  /// wave in an hour that is empty otherwise.
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
      // The edges of spans cut through waves: what belongs to this one beside them is taken in.
      let whole = max(0, begin - 1) * length..<min(spans.count, place + 1) * length
      waves.append(narrowed(whole, in: reading, share: Double(sum) / Double((last + 1) * length)))
    }
    return merged(waves, in: reading).prefix(countMax).map(\.self)
  }

  /// Without the seconds at both ends in which no more tokens end than in others.
  private static func narrowed(_ span: Range<Int>, in reading: HorizonReading, share: Double) -> Wave {
    let seconds = span.filter { Double(reading.seconds[$0]) > share }
    guard let first = seconds.first, let last = seconds.last else { return Wave(seconds: span, tokens: 0) }
    return wave(first..<last + 1, in: reading)
  }

  private static func wave(_ span: Range<Int>, in reading: HorizonReading) -> Wave {
    Wave(seconds: span, tokens: reading.seconds[span].reduce(0) { $0 + Int($1) })
  }

  /// Two that overlap once what lies beside them is taken in are one.
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
