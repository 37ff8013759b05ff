internal import GatewayCore
internal import GatewayFleet

// The fleets of a world. Every event is of one of them, the fleet at hand. Most worlds have one.

extension MachineWorld {
  /// Makes the fleet of that index the one at hand.
  mutating func enter(_ index: Int) {
    fleet = fleets + index
  }

  /// Makes the fleet whose client made a request the one at hand.
  mutating func enter(fleetOf request: TokenRequest) {
    guard count > 1, request.client != TokenRequest.nobody else { return }
    enter(index(ofFleetWith: request.client))
  }

  /// Returns the index of the fleet with a client, by the client's number in the whole world.
  func index(ofFleetWith client: UInt32) -> Int {
    var index = count - 1
    while index > 0, fleets[index].base > Int(client) { index -= 1 }
    return index
  }

  /// The index of the fleet at hand, for events about its provider.
  var fleetIndex: UInt16 { UInt16(truncatingIfNeeded: fleet - fleets) }

  /// Returns the number in the whole world of a client of the fleet at hand, and the other way round.
  func worldNumber(_ index: Int) -> UInt32 { UInt32(truncatingIfNeeded: fleet.pointee.base + index) }
  func index(_ number: UInt32) -> Int { Int(number) - fleet.pointee.base }

  // MARK: The fleet at hand

  var settings: WorldSettings { _read { yield fleet.pointee.settings } }
  var machines: UnsafeMutablePointer<Machine> { fleet.pointee.machines }
  var sessionPolicy: SharedSessionPolicy { fleet.pointee.sessionPolicy }
  var wire: WireModel? { _read { yield fleet.pointee.wire } }
  var commonExpiry: Int64? { fleet.pointee.commonExpiry }
  var asksAt: Duration? { fleet.pointee.asksAt }
  var started: Int { fleet.pointee.started }

  var provider: ProviderState {
    unsafeAddress { UnsafePointer(fleet.pointee.provider) }
    nonmutating unsafeMutableAddress { fleet.pointee.provider }
  }

  var ledger: Ledger {
    _read { yield fleet.pointee.ledger }
    nonmutating _modify { yield &fleet.pointee.ledger }
  }

  var linkChance: SeededGenerator {
    _read { yield fleet.pointee.linkChance }
    nonmutating _modify { yield &fleet.pointee.linkChance }
  }

  var gatewayChance: SeededGenerator {
    _read { yield fleet.pointee.gatewayChance }
    nonmutating _modify { yield &fleet.pointee.gatewayChance }
  }

  var kept: [KeptSession] {
    _read { yield fleet.pointee.kept }
    nonmutating _modify { yield &fleet.pointee.kept }
  }

  var refusedByBudget: [Bool] {
    _read { yield fleet.pointee.refusedByBudget }
    nonmutating _modify { yield &fleet.pointee.refusedByBudget }
  }

  var refresh: RefreshState? {
    _read { yield fleet.pointee.refresh }
    nonmutating _modify { yield &fleet.pointee.refresh }
  }

  var retries: RetryGates? {
    _read { yield fleet.pointee.retries }
    nonmutating _modify { yield &fleet.pointee.retries }
  }

  var marks: [StormResult] {
    _read { yield fleet.pointee.marks }
    nonmutating _modify { yield &fleet.pointee.marks }
  }

  var places: ArrivalPlaces? {
    _read { yield fleet.pointee.places }
    nonmutating _modify { yield &fleet.pointee.places }
  }

  /// The time at which the gateway accepts the next connection.
  var acceptsAt: Int64 {
    get { gatewayTurns[settings.place.gateway] }
    set { gatewayTurns[settings.place.gateway] = newValue }
  }
}
