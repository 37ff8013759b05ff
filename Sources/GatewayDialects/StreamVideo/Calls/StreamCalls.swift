package import GatewayCore

/// The coordinator's calls on a gateway: changes them, and tells those who watch.
package struct StreamCalls: Sendable {
  package let services: any GatewayServices
  let users: any StreamDirectory
  let directory: any StreamCallDirectory
  let policy: StreamCallPolicy

  package init(
    services: any GatewayServices, users: any StreamDirectory, directory: any StreamCallDirectory,
    policy: StreamCallPolicy = StreamCallPolicy()
  ) {
    self.services = services
    self.users = users
    self.directory = directory
    self.policy = policy
  }

  /// The call, which must exist.
  func known(_ id: CallID) async throws(StreamError) -> StreamCall {
    guard let call = await directory.call(id) else { throw Self.missing(id) }
    return call
  }

  static func missing(_ id: CallID) -> StreamError {
    .doesNotExist("Can't find call with id \(id)")
  }

  /// Changes the call as `user` asks, and tells its watchers what has happened by that.
  func change(
    _ id: CallID, by user: UserID?, at now: WallTime, _ change: @escaping StreamCallDirectory.Change
  ) async throws(StreamError) -> StreamCallChange {
    let made: StreamCallChange
    do throws(GatewayError) {
      made = try await directory.updateCall(id, change)
    } catch {
      throw error.isSame(as: .notFound) ? Self.missing(id) : StreamError(error)
    }
    await tell(made.happenings(by: user), of: made.after, at: now)
    return made
  }

  /// The call with the users it shows, and these.
  func picture(of call: StreamCall, with others: [UserID] = []) async -> StreamCallPicture {
    let shown = StreamCallPicture.usersShown(in: call).union(others)
    return StreamCallPicture(call, users: await users.users(shown.sorted()))
  }

  /// Tells what happened in the call, each to its own audience.
  func tell(_ happenings: [StreamCallEvent.Kind], of call: StreamCall, at now: WallTime) async {
    guard !happenings.isEmpty else { return }
    let picture = await picture(of: call, with: happenings.flatMap(\.usersNamed))
    for happening in happenings {
      let event = StreamCallEvent(kind: happening, picture: picture, at: now)
      await services.tell(happening.audience(of: call)) { dialect, _ in
        (dialect as? StreamDialect).map { event.frame($0.kind.family) }
      }
    }
  }

  /// Lets the connection hear what happens in the call.
  func watch(_ call: CallID, by connection: ConnectionID?) async throws(StreamError) {
    guard let connection else { return }
    if await services.watch(call, by: connection) { return }
    guard await services.user(of: connection) != nil else { throw .connectionIDNotFound("the connection has ended") }
    throw StreamError(.tooMany.detailed("calls that one connection watches"))
  }
}
