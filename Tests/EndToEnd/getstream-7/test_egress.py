"""Recordings, transcriptions, broadcasts, participants and statistics, as the models of Stream's server SDK read them."""

from datetime import datetime, timezone
from typing import Any, Dict

import pytest
from getstream.exceptions import StreamApiException
from getstream.models import CallRequest, CallSettingsRequest, FrameRecordingSettingsRequest, RTMPBroadcastRequest

# If an answer lacks a member that a model requires, the library only warns.
pytestmark = pytest.mark.filterwarnings("error:Missing value of non-optional")


@pytest.fixture
def call(stream, call):
    settings = CallSettingsRequest(
        frame_recording=FrameRecordingSettingsRequest(capture_interval_in_seconds=5, mode="available")
    )
    call.get_or_create(data=CallRequest(created_by_id="ann", settings_override=settings))
    return call


@pytest.fixture
def session(as_user, call):
    """The session that ann is in."""
    path = f"/api/v2/video/call/default/{call.id}/join"
    return as_user("ann").video.post(path, Dict[str, Any], json={"location": "FRA"}).data["call"]["session"]["id"]


def test_recordings_begin_end_and_are_listed(call, session):
    before = datetime.now(timezone.utc)
    assert call.start_recording("composite").data.duration
    assert call.get().data.call.recording and call.get().data.call.egress.composite_recording.status == "running"
    assert call.stop_recording("composite").data.duration
    assert not call.get().data.call.recording
    (recording,) = call.list_recordings().data.recordings
    assert recording.session_id == session and recording.recording_type == "composite"
    assert recording.start_time <= recording.end_time and (recording.start_time - before).total_seconds() > -1
    call.delete_recording(session=session, filename=recording.filename)
    assert call.list_recordings().data.recordings == []
    with pytest.raises(StreamApiException) as info:
        call.delete_recording(session=session, filename=recording.filename)
    assert info.value.api_error.code == 16


def test_transcriptions_and_captions(call, session):
    call.start_transcription(enable_closed_captions=True, language="en")
    state = call.get().data.call
    assert state.transcribing and state.captioning
    call.send_closed_caption(speaker_id="ann", text="hello", user_id="ann")
    call.stop_closed_captions()
    assert not call.get().data.call.captioning and call.get().data.call.transcribing
    call.start_closed_captions()
    call.stop_transcription(stop_closed_captions=True)
    assert not call.get().data.call.captioning
    (transcription,) = call.list_transcriptions().data.transcriptions
    assert transcription.session_id == session
    call.delete_transcription(session=session, filename=transcription.filename)


def test_broadcasts_and_frames(call):
    playlist = call.start_hls_broadcasting().data.playlist_url
    call.start_rtmp_broadcasts(broadcasts=[RTMPBroadcastRequest(name="tube", stream_url="rtmps://a.example/live")])
    call.start_frame_recording()
    egress = call.get().data.call.egress
    assert egress.broadcasting and egress.hls.playlist_url == playlist and egress.frame_recording.status == "running"
    assert [broadcast.name for broadcast in egress.rtmps] == ["tube"] and egress.rtmps[0].started_at.tzinfo
    call.stop_rtmp_broadcast(name="tube")
    call.stop_hls_broadcasting()
    call.stop_all_rtmp_broadcasts()
    call.stop_frame_recording()
    egress = call.get().data.call.egress
    assert not egress.broadcasting and egress.hls is None and egress.frame_recording is None


def test_participants_and_what_they_think(stream, as_user, call, session):
    ann = as_user("ann").video.call("default", call.id)
    found = ann.query_call_participants().data
    assert found.total_participants == 1 and found.participants[0].user.id == "ann" and found.call.cid == f"default:{call.id}"
    (person,) = found.participants
    ann.video_pin(session_id=person.user_session_id, user_id="ann")
    ann.video_unpin(session_id=person.user_session_id, user_id="ann")
    ann.collect_user_feedback(rating=5, sdk="python", sdk_version="7", reason="clear", custom={"seat": 3})
    (opinion,) = stream.video.query_user_feedback(filter_conditions={"call_cid": f"default:{call.id}"}).data.user_feedback
    assert opinion.rating == 5 and opinion.custom == {"seat": 3} and opinion.user_id == "ann"
    report = ann.get_call_report(session_id=session).data
    assert report.report.participants.unique == 1 and report.report.user_ratings.average == 5
    sessions = call.query_call_participant_sessions(session=session).data
    assert sessions.total_participant_sessions == 1 and sessions.participants_sessions[0].user_id == "ann"
    details = call.get_call_participant_session_metrics(
        session=session, user="ann", user_session=person.user_session_id).data
    assert details.joined_at.tzinfo


def test_statistics_are_empty_but_there(stream, call, session):
    assert stream.video.query_call_stats().data.reports == []
    assert stream.video.query_call_session_stats().data.call_stats == []
    assert stream.video.query_aggregate_call_stats().data.duration
    names = {"call_type": "default", "call_id": call.id, "session": session}
    assert stream.video.get_call_stats_map(**names).data.call_session_id == session
    people = stream.video.query_call_session_participant_stats(**names).data
    assert people.counts.participants == 1 and people.participants[0].user_id == "ann"
    names |= {"user": "ann", "user_session": "x"}
    assert stream.video.get_call_session_participant_stats_details(**names).data.user_session_id == "x"
    assert stream.video.get_call_session_participant_stats_timeline(**names).data.events == []
