/// The natural logarithm by arithmetic alone, so that it is the same on every machine.
enum NaturalLogarithm {
  private static let ofTwo = 0.693_147_180_559_945_3

  /// Returns the logarithm of a number above 0, right to 12 digits.
  static func of(_ number: Double) -> Double {
    guard number > 0, number.isFinite else { return 0 }
    // log(m) = 2 artanh((m - 1) / (m + 1)), a series that converges fast for m in 1..<2.
    let part = (number.significand - 1) / (number.significand + 1)
    var (term, sum) = (part, 0.0)
    for odd in stride(from: 1.0, through: 27, by: 2) {
      sum += term / odd
      term *= part * part
    }
    return Double(number.exponent) * ofTwo + 2 * sum
  }
}
