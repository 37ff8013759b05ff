internal import GatewayCore

/// The place of a fleet among several of one storm. Numbers of clients, users and addresses go on from one fleet to the
/// next, so that no two fleets share any.
package struct FleetPlace: Hashable, Sendable, Codable {
  package let name: String
  /// The fleet of which it is a part, e.g. the clients of one SDK; nil if it is a fleet of its own.
  package var group: String?
  /// The numbers of clients, users and addresses of the fleets before it.
  package var firstClient = 0
  package var firstUser = 0
  package var firstAddress = 0

  package init(name: String, group: String? = nil) {
    self.name = name
    self.group = group
  }

  /// The maximum number of fleets of a storm, and of bytes of a name.
  package static let countMax = 64
  package static let nameMax = 40

  /// Returns whether a name can stand before a threshold and in a metric's label: letters, digits, `-` and `_`.
  package static func isName(_ name: String) -> Bool {
    (1...nameMax).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

extension StormPlan {
  /// Returns the plans of the fleets of one storm, each with its place and a seed of its own. The seed depends on the
  /// storm's seed and on the fleet's name alone: a further fleet changes no other.
  ///
  /// - Parameters:
  ///   - fleets: The fleets' places, of which only the names count, and their plans.
  ///   - seed: The seed of the storm.
  package static func split(_ fleets: [(place: FleetPlace, plan: StormPlan)], seed: UInt64) -> [StormPlan] {
    var client = 0
    var user = 0
    var address = 0
    return fleets.map { fleet in
      var place = FleetPlace(name: fleet.place.name, group: fleet.place.group)
      place.firstClient = client
      place.firstUser = user
      place.firstAddress = address
      var plan = fleet.plan
      plan.fleet = place
      plan.seed = Self.seed(of: place.name, seed)
      client += plan.people
      let each = plan.grants?.clientsPerUser ?? 1
      user += (plan.people + each - 1) / each
      address += plan.addresses
      return plan
    }
  }

  /// Returns the seed of a fleet, below 2^53, so that every reader of JSON keeps it.
  private static func seed(of name: String, _ seed: UInt64) -> UInt64 {
    let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    var chance = SeededGenerator(seed: seed ^ hash)
    return chance.next() >> 11
  }

  /// Returns the number of client number `index` in the whole storm.
  package func number(of index: Int) -> Int { (fleet?.firstClient ?? 0) + index }

  /// Returns one plan for several fleets, for what a report says of the whole: the sum of the clients, and the longest
  /// times.
  package static func whole(_ plans: [StormPlan], seed: UInt64) -> StormPlan {
    guard var whole = plans.first else { return StormPlan() }
    whole.fleet = nil
    whole.seed = seed
    if !plans.allSatisfy({ $0.dialect.utf8.elementsEqual(whole.dialect.utf8) }) { whole.dialect = "mixed" }
    if !plans.allSatisfy({ $0.sdk == whole.sdk && $0.dialect == whole.dialect }) { whole.sdk = nil }
    whole.clients = plans.reduce(0) { $0 + $1.clients }
    whole.rate = plans.reduce(0) { $0 + $1.rate }
    whole.life = plans.map(\.life).max() ?? whole.life
    whole.hold = plans.map(\.hold).max() ?? whole.hold
    whole.waves = plans.map(\.waves).max() ?? whole.waves
    whole.arrivals = nil
    whole.lives = nil
    whole.sources = min(addressesMax, plans.reduce(0) { $0 + $1.sources })
    return whole
  }
}
