/// The connections of a listener on one loop whose proxies have not yet said whose they are. Only on the loop.
final class ProxiedArrivals {
  private var waiting: [ObjectIdentifier: ProxiedArrival] = [:]

  func add(_ arrival: ProxiedArrival) { waiting[ObjectIdentifier(arrival)] = arrival }

  func remove(_ arrival: ProxiedArrival) { waiting[ObjectIdentifier(arrival)] = nil }

  /// Ends all, before the loop does.
  func cancelAll() {
    for arrival in waiting.values { arrival.cancel() }
    waiting = [:]
  }
}
