/// Comparison of secrets whose duration does not reveal where they differ.
package enum ConstantTime {
  /// Returns whether both are the same bytes. The time depends on `presented` only, never on where the two differ.
  @inline(never)
  package static func areEqual(_ secret: [UInt8], _ presented: [UInt8]) -> Bool {
    var difference: UInt8 = secret.count == presented.count ? 0 : 1
    for index in presented.indices {
      difference |= presented[index] ^ (secret.isEmpty ? 0xFF : secret[index % secret.count])
    }
    return difference == 0
  }
}
