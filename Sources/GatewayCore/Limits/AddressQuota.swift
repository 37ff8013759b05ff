/// A rate limit for each peer address, for requests that need no login, e.g. 20 guests a minute.
///
/// A value with a bounded table. IPv6 addresses count by their first 64 bits, which is what one subscriber gets (RFC
/// 6177 section 2). When the table is full of addresses whose quota is in use, all further addresses share one bucket.
/// Many addresses together therefore get at most the quota of the table plus one.
package struct AddressQuota: Hashable, Sendable {
  /// The number of requests that one address may make in a minute, also all at once.
  package let perMinute: Int
  /// The largest number of addresses that are counted at a time.
  package let addressesMax: Int
  /// The number of refused requests.
  package private(set) var refusals: UInt64 = 0
  private var buckets: [Name: TokenBucket] = [:]
  private var others: TokenBucket?
  /// The time of the last search for addresses with a full bucket. It runs at most once a second, since each search
  /// reads the whole table.
  private var sweptAt: Instant?

  /// - Parameters:
  ///   - perMinute: 1 or more.
  ///   - addressesMax: 1 or more; an entry takes about 150 bytes.
  package init(perMinute: Int, addressesMax: Int = 20_000) {
    precondition(perMinute > 0 && addressesMax > 0, "a quota lets something pass")
    self.perMinute = perMinute
    self.addressesMax = addressesMax
  }

  /// Counts one request from `address` at `now`. Returns nil if it is within the quota, otherwise the time until the
  /// next one is allowed.
  package mutating func take(_ address: String, at now: Instant) -> Duration? {
    let wait = wait(address, at: now)
    if wait != nil { refusals += 1 }
    return wait
  }

  /// Counts one request from `address` that another node of the gateway has let pass.
  package mutating func count(_ address: String, at now: Instant) {
    _ = wait(address, at: now)
  }

  private mutating func wait(_ address: String, at now: Instant) -> Duration? {
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
    return wait
  }

  private mutating func forgetThoseAtRest(at now: Instant) {
    if let sweptAt, now < sweptAt + .seconds(1) { return }
    sweptAt = now
    buckets = buckets.filter { !$0.value.isFull(at: now) }
  }

  /// Returns the key under which an address is counted: the address itself, or the first four groups of an IPv6
  /// address. An IPv4 address mapped into IPv6 (RFC 4291 section 2.5.5.2) counts as the IPv4 address.
  package static func key(of address: String) -> Name {
    guard address.utf8.contains(UInt8(ascii: ":")) else { return Name(address) }
    let bare = address.utf8.prefix { $0 != UInt8(ascii: "%") }
    if let last = bare.split(separator: UInt8(ascii: ":")).last, last.contains(UInt8(ascii: ".")) {
      return Name(Substring(last))
    }
    // Among the first four groups, only zeros that `::` replaces can be missing from the text.
    var groups: [Substring] = []
    for group in bare.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).prefix(4) {
      if group.isEmpty && !groups.isEmpty { break }
      groups.append(Substring(group))
    }
    while groups.count < 4 { groups.append("") }
    return Name(groups.map { $0.isEmpty ? "0" : $0 }.joined(separator: ":"))
  }
}
