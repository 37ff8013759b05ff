/// A rate limit for each peer address, on what anybody may do without a login: 20 guests a minute from 203.0.113.7, say.
///
/// A value with a bounded table. Addresses of IPv6 count by their first 64 bits, since that is what one subscriber gets
/// (RFC 6177 section 2). When the table is full of addresses that are not at rest, all further ones share one bucket, so
/// that many addresses get no more than the table's worth and one.
package struct AddressQuota: Hashable, Sendable {
  /// The most that one address may do in a minute; as much may come at once.
  package let perMinute: Int
  /// The most addresses counted at a time.
  package let addressesMax: Int
  /// How often it has said no.
  package private(set) var refusals: UInt64 = 0
  private var buckets: [Name: TokenBucket] = [:]
  private var others: TokenBucket?
  /// When addresses at rest were last looked for: once in a while is enough, and each time costs the whole table.
  private var sweptAt: Instant?

  /// - Parameters:
  ///   - perMinute: 1 or more.
  ///   - addressesMax: 1 or more; an entry takes about 150 bytes.
  package init(perMinute: Int, addressesMax: Int = 20_000) {
    precondition(perMinute > 0 && addressesMax > 0, "a quota lets something pass")
    self.perMinute = perMinute
    self.addressesMax = addressesMax
  }

  /// Counts one thing done from `address` at `now`. Nil if it is within the quota, else after how long the next one is.
  package mutating func take(_ address: String, at now: Instant) -> Duration? {
    let key = Self.key(of: address)
    if buckets[key] == nil && buckets.count >= addressesMax { forgetThoseAtRest(at: now) }
    let fresh = TokenBucket(rate: Double(perMinute) / 60, capacity: Double(perMinute), at: now)
    let wait: Duration?
    if buckets[key] != nil || buckets.count < addressesMax {
      wait = buckets[key, default: fresh].takeOrWait(at: now)
    } else {
      var shared = others ?? fresh
      wait = shared.takeOrWait(at: now)
      others = shared
    }
    if wait != nil { refusals += 1 }
    return wait
  }

  private mutating func forgetThoseAtRest(at now: Instant) {
    if let sweptAt, now < sweptAt + .seconds(1) { return }
    sweptAt = now
    buckets = buckets.filter { !$0.value.isFull(at: now) }
  }

  /// What an address counts as: itself, or the first four groups of an IPv6 address; an IPv4 address that is mapped into
  /// IPv6 (RFC 4291 section 2.5.5.2) counts as what it is.
  package static func key(of address: String) -> Name {
    guard address.utf8.contains(UInt8(ascii: ":")) else { return Name(address) }
    let bare = address.utf8.prefix { $0 != UInt8(ascii: "%") }
    if let last = bare.split(separator: UInt8(ascii: ":")).last, last.contains(UInt8(ascii: ".")) {
      return Name(Substring(last))
    }
    // Only the zeros that `::` leaves out can stand among the first four groups without being written.
    var groups: [Substring] = []
    for group in bare.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).prefix(4) {
      if group.isEmpty && !groups.isEmpty { break }
      groups.append(Substring(group))
    }
    while groups.count < 4 { groups.append("") }
    return Name(groups.map { $0.isEmpty ? "0" : $0 }.joined(separator: ":"))
  }
}
