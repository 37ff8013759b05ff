internal import GatewayCore
internal import GatewayKit

// The records that calls leave behind: files, past participations and feedback. They are removed with the call or after
// two weeks, as Stream keeps recordings. If there is no room, they are not stored, and the call goes on.

extension StreamCallDirectory {
  static let files = StoreTable<StreamFileRow>("stream.file")
  static let participations = StoreTable<StreamParticipationRow>("stream.participation")
  static let feedback = StoreTable<StreamFeedbackRow>("stream.feedback")
  private static let retention = Duration.seconds(14 * 86_400)

  /// Returns the counts that may be full without refusing a change of a call.
  func pastCounts(of call: CallID) -> [StoreCount] {
    let name = call.cid
    return [
      StoreCount("stream.files", atMost: limits.past, of: "files of all calls"),
      StoreCount("stream.call-files", name, atMost: limits.pastOfCall, of: "files of a call"),
      StoreCount("stream.participations", atMost: limits.past, of: "participations that are over"),
      StoreCount("stream.call-participations", name, atMost: limits.pastOfCall, of: "participations of a call"),
    ]
  }

  /// Stores what the change leaves behind, except where the count is in `full`.
  func keepPast(
    _ before: StreamCall, _ after: StreamCall, without full: Set<StorePath>, at now: WallTime,
    in transaction: inout Transaction
  ) {
    let (id, expires) = (after.id, now + Self.retention)
    let counts = pastCounts(of: id)
    let (fileCounts, stayCounts) = (Array(counts[..<2]), Array(counts[2...]))
    if before.egress != after.egress, !fileCounts.contains(where: { full.contains($0.path) }) {
      for file in StreamEgress.files(from: before, to: after, at: now) {
        let key = Self.files.key(id.cid, file.session, file.name)
        transaction.put(key, StreamFileRow(file: file), expires: expires, in: fileCounts)
      }
    }
    guard let session = before.liveSession, !stayCounts.contains(where: { full.contains($0.path) }) else { return }
    let stays = after.session?.id == session.id ? Set(after.participants.map(\.sessionID)) : []
    for participant in session.participants
    where participant.user != .anonymous && !stays.contains(participant.sessionID) {
      let key = Self.participations.key(id.cid, session.id, participant.sessionID)
      let row = StreamParticipationRow(participation: StreamParticipation(participant: participant, leftAt: now))
      transaction.put(key, row, expires: expires, in: stayCounts)
    }
  }

  /// Removes all that the call has left.
  func forgetPast(
    of id: CallID, at now: WallTime, in transaction: inout Transaction
  ) async throws(StoreOr<GatewayError>) {
    for range in [Self.files.range(id.cid), Self.participations.range(id.cid), Self.feedback.range(id.cid)] {
      let rows: [StoreEntry]
      do throws(StoreError) {
        rows = try await store.scan(range, limit: limits.pastOfCall, at: now)
      } catch {
        throw .store(error)
      }
      for row in rows { transaction.delete(StoreKey(path: row.path, type: range.type)) }
    }
  }

  /// Returns the call's files of those kinds, oldest first.
  func files(
    of id: CallID, where isMeant: (StreamEgress.Kind) -> Bool, at now: WallTime
  ) async throws(GatewayError) -> [StreamCallFile] {
    let rows = try await past(Self.files.range(id.cid), of: StreamFileRow.self, at: now)
    return rows.map(\.file).filter { isMeant($0.kind) }.sorted {
      ($0.run.startedAt, $0.name) < ($1.run.startedAt, $1.name)
    }
  }

  /// Returns the file with that name; nil if there is none.
  func file(
    _ name: String, session: String, of id: CallID, at now: WallTime
  ) async throws(GatewayError) -> StreamCallFile? {
    do throws(StoreError) {
      return try await store.get(Self.files.key(id.cid, session, name), as: StreamFileRow.self, at: now)?.file
    } catch {
      throw GatewayError(error)
    }
  }

  /// Removes the file; returns false if there is none of that kind.
  func removeFile(
    _ name: String, session: String, of id: CallID, where isMeant: (StreamEgress.Kind) -> Bool, at now: WallTime
  ) async throws(GatewayError) -> Bool {
    do throws(StoreOr<GatewayError>) {
      return try await store.transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<GatewayError>) in
        let key = Self.files.key(id.cid, session, name)
        guard let row = try await transaction.get(key, as: StreamFileRow.self), isMeant(row.file.kind) else {
          return false
        }
        transaction.delete(key)
        return true
      }
    } catch {
      throw error.failure
    }
  }

  /// Returns the past participants of the session in the order in which they joined.
  func participations(
    in session: String, of id: CallID, at now: WallTime
  ) async throws(GatewayError) -> [StreamParticipation] {
    let range = Self.participations.range(id.cid, session)
    return try await past(range, of: StreamParticipationRow.self, at: now).map(\.participation)
      .sorted { $0.participant.joinedAt < $1.participant.joinedAt }
  }

  /// Stores the feedback; throws `GatewayError.tooMany` if there is no room.
  func keep(_ feedback: StreamFeedback, on id: CallID, at now: WallTime) async throws(GatewayError) {
    do throws(StoreOr<GatewayError>) {
      try await store.transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<GatewayError>) in
        let key = Self.feedback.key(id.cid, feedback.at.inOrder, feedback.user.rawValue)
        let counts = [
          StoreCount("stream.feedback", atMost: limits.feedback, of: "ratings of all calls"),
          StoreCount("stream.call-feedback", id.cid, atMost: limits.pastOfCall, of: "ratings of a call"),
        ]
        transaction.put(key, StreamFeedbackRow(call: id, feedback: feedback), expires: now + Self.retention, in: counts)
      }
    } catch {
      throw error.failure
    }
  }

  /// Returns the feedback of the call, oldest first.
  func feedback(on id: CallID, at now: WallTime) async throws(GatewayError) -> [StreamFeedback] {
    try await past(Self.feedback.range(id.cid), of: StreamFeedbackRow.self, at: now).map(\.feedback)
  }

  /// Returns the feedback of all calls, call by call.
  func feedback(at now: WallTime) async throws(GatewayError) -> [(CallID, StreamFeedback)] {
    do throws(StoreError) {
      return try await store.scan(Self.feedback.range(), limit: limits.feedback, at: now).map {
        (entry) throws(StoreError) in
        let row = try entry.value(as: StreamFeedbackRow.self)
        return (row.call, row.feedback)
      }
    } catch {
      throw GatewayError(error)
    }
  }

  private func past<Row: StoreValue>(
    _ range: StoreRange, of type: Row.Type, at now: WallTime
  ) async throws(GatewayError) -> [Row] {
    do throws(StoreError) {
      var rows: [Row] = []
      for entry in try await store.scan(range, limit: limits.pastOfCall, at: now) {
        rows.append(try entry.value(as: Row.self))
      }
      return rows
    } catch {
      throw GatewayError(error)
    }
  }
}

extension StreamEgress {
  /// Returns the files of what ended between the two states.
  static func files(from before: StreamCall, to after: StreamCall, at now: WallTime) -> [StreamCallFile] {
    stopped(from: before, to: after).compactMap { (kind, run) in
      after.egress?.hasFailed(kind) == true ? nil : StreamCallFile(kind, run, of: after.id, until: now)
    }
  }

  /// Returns what started between the two states, in the order of the kinds.
  static func started(from before: StreamCall, to after: StreamCall) -> [(kind: Kind, run: Run)] {
    Kind.allCases.compactMap { kind in
      guard let run = after.egress?.runs[kind], before.egress?.runs[kind]?.id != run.id else { return nil }
      return (kind, run)
    }
  }

  static func stopped(from before: StreamCall, to after: StreamCall) -> [(kind: Kind, run: Run)] {
    started(from: after, to: before)
  }
}
