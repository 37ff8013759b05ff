internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime

/// A horizon in JSON: `{"within":{"10":0,"60":15000,…},"overdue":3,…}`.
enum HorizonText {
  /// The length of one bucket, in seconds.
  static let length = 10

  /// Writes the number of tokens that end within the next 10 s, 60 s and so on.
  static func writeSums(_ reading: HorizonReading, to json: inout JSONWriter) {
    json.member("within") { json in
      for span in HorizonReading.spans {
        json.name(String(span))
        json.integer(Int64(reading.within(span)))
      }
    }
    json.member("later", Int64(reading.later))
    json.member("overdue", Int64(reading.overdue))
  }

  static func write(_ counts: [Int], _ name: StaticString, to json: inout JSONWriter) {
    json.name(name)
    json.beginArray()
    for count in counts { json.integer(Int64(count)) }
    json.endArray()
  }

  /// Writes the waves, each with the times for an order to spread it.
  static func writeWaves(_ reading: HorizonReading, at begin: WallTime, to json: inout JSONWriter) {
    json.name("waves")
    json.beginArray()
    for wave in Waves.all(in: reading) {
      json.beginObject()
      json.member("in_s", Int64(wave.seconds.lowerBound))
      json.member("lasts_s", Int64(wave.seconds.count))
      json.member("tokens", Int64(wave.tokens))
      json.name("from")
      json.number(edge(begin, wave.seconds.lowerBound, .down))
      json.name("before")
      json.number(edge(begin, wave.seconds.upperBound, .up))
      json.endObject()
    }
    json.endArray()
  }

  /// Returns a whole second of the time of day outside of the wave. The two clocks need not agree to the millisecond.
  private static func edge(_ begin: WallTime, _ ahead: Int, _ rule: FloatingPointRoundingRule) -> Double {
    let margin = rule == .down ? -0.25 : 0.25
    return ((begin + .seconds(ahead)).seconds + margin).rounded(rule)
  }
}
