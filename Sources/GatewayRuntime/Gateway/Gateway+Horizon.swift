package import GatewayCore

// When tokens end, and who is here, as all loops have counted it.

extension Gateway {
  /// How many tokens end in each second to come, and the time at which that was asked.
  package func horizon() async -> (reading: HorizonReading, at: WallTime) {
    let (now, wall) = await tables[0].perform { ($0.loop.now, $0.loop.wallTime) }
    var sum = HorizonReading()
    for table in tables { sum.merge(await table.perform { $0.horizon.reading(at: now) }) }
    // Seconds begin when the line of instants has a whole one.
    let begun = now - Instant(nanoseconds: ExpiryHorizon.second(of: now) * 1_000_000_000)
    return (sum, wall - begun)
  }

  /// The same of all nodes, and the names of those that did not answer in time. Each node judges a token by its own clock.
  package func horizonOfNodes() async -> (reading: HorizonReading, at: WallTime, missing: [String]) {
    var (sum, begin) = await horizon()
    guard let nodes, !NodeScope.isHere else { return (sum, begin, []) }
    let replies = await nodes.ask(.horizon)
    for case .horizon(let reading, let other) in replies.answers.values {
      sum.merge(reading, ahead: Int((other - begin).inSeconds.rounded()))
    }
    return (sum, begin, nodes.names(of: replies.missing))
  }

  /// How many users of each kind are logged in, by the name of the dialect.
  package func usersByDialect() async -> [(dialect: String, counts: [(kind: UserKind, count: UInt64)])] {
    var sums = [Int](repeating: 0, count: bindings.count * UserKind.allCases.count)
    for table in tables {
      for (place, count) in await table.perform({ $0.kinds }).enumerated() { sums[place] += count }
    }
    var names: [String] = []
    for binding in bindings where !names.contains(binding.dialect.name) { names.append(binding.dialect.name) }
    return names.map { name in
      let own = bindings.indices.filter { bindings[$0].dialect.name == name }
      let counts = UserKind.allCases.enumerated().map { place, kind in
        (kind: kind, count: UInt64(own.reduce(0) { $0 + sums[$1 * UserKind.allCases.count + place] }))
      }
      return (name, counts)
    }
  }
}
