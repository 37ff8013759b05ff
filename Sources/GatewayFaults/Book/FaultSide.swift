/// The side of a proxy on which a fault takes effect. A gateway has the side of its clients alone.
package enum FaultSide: String, Hashable, Sendable, CaseIterable {
  case client, upstream
}
