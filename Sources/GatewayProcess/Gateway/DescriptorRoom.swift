package import GatewayServer

/// The number of descriptors that a gateway's process wants for its connections and spaces, and the number that the system allows.
package struct DescriptorRoom: Sendable {
  package let wanted: Int
  package let allowed: Int

  /// Raises the limit of this process, and has the system make room. Throws if the loops of `settings` cannot start with so
  /// few.
  ///
  /// Call it before the process has a second thread: then the system does not wait for the others.
  package init(for settings: GatewaySettings) throws(ServerError) {
    let spacePorts = (settings.spaces?.countMax ?? 0) * settings.hosts.count
    wanted = settings.limits.connectionsMax + spacePorts + DescriptorLimit.reserve
    allowed = DescriptorLimit.raised(to: wanted)
    let least = ServerLimits.descriptorsMin(loops: settings.loops)
    guard allowed >= least else {
      throw .cannotStartLoop(
        "the system lets this process open \(allowed) files and sockets, \(settings.loops) loops need "
          + "\(least) (ulimit -n)")
    }
    DescriptorTable.makeRoom(for: wanted)
  }
}
