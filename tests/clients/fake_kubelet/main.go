// SPDX-License-Identifier: Apache-2.0

// A kubelet as far as a device plugin knows one: fake-kubelet [OPTION...] PLUGIN [ARGUMENT...] starts the plugin, lets it
// register, follows its list of devices and asks it for some of them. Each thing that it learns is one line of JSON on
// stdout; what the plugin prints goes to stderr.
//
// A plugin's folder has a fixed path (as that of CDI specifications), so this is run in a mount namespace where they are its
// own: ../device_plugin_test.cpp.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	plugin "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

type kubelet struct {
	plugin.UnimplementedRegistrationServer
	registered chan *plugin.RegisterRequest
}

func (k *kubelet) Register(_ context.Context, request *plugin.RegisterRequest) (*plugin.Empty, error) {
	k.registered <- request
	return &plugin.Empty{}, nil
}

func tell(what string, value any) error {
	return json.NewEncoder(os.Stdout).Encode(map[string]any{what: value})
}

// Every device and its health.
func health(list *plugin.ListAndWatchResponse) map[string]string {
	devices := map[string]string{}
	for _, device := range list.Devices {
		devices[device.ID] = device.Health
	}
	return devices
}

func allocate(client plugin.DevicePluginClient, devices map[string]string, count int) error {
	available := slices.Sorted(maps.Keys(devices))
	preferred, err := client.GetPreferredAllocation(context.Background(), &plugin.PreferredAllocationRequest{
		ContainerRequests: []*plugin.ContainerPreferredAllocationRequest{
			{AvailableDeviceIDs: available, AllocationSize: int32(count)},
		},
	})
	if err != nil {
		return err
	}
	ids := preferred.ContainerResponses[0].DeviceIDs
	if err := tell("preferred", ids); err != nil {
		return err
	}
	allocated, err := client.Allocate(context.Background(), &plugin.AllocateRequest{
		ContainerRequests: []*plugin.ContainerAllocateRequest{{DevicesIDs: ids}},
	})
	if err != nil {
		return err
	}
	return tell("allocated", allocated.ContainerResponses[0])
}

// What a container engine reads to learn what the plugin's CDI devices are.
func tellSpecifications() error {
	files, err := filepath.Glob("/var/run/cdi/*.json")
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := tell("specification", json.RawMessage(text)); err != nil {
			return err
		}
	}
	return nil
}

// One registered plugin, until as many devices as wanted are unhealthy, and then for as long as `patience`.
func serve(request *plugin.RegisterRequest, wanted, unhealthyWanted int, patience time.Duration) error {
	if request.Version != plugin.Version {
		return fmt.Errorf("the plugin speaks version %s, a kubelet %s", request.Version, plugin.Version)
	}
	if err := tell("registered", request.ResourceName); err != nil {
		return err
	}
	connection, err := grpc.NewClient("unix://"+filepath.Join(plugin.DevicePluginPath, request.Endpoint),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	client := plugin.NewDevicePluginClient(connection)
	watching, stop := context.WithCancel(context.Background())
	defer stop()
	watch, err := client.ListAndWatch(watching, &plugin.Empty{})
	if err != nil {
		return err
	}
	for first := true; ; first = false {
		list, err := watch.Recv()
		if watching.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		devices := health(list)
		if err := tell("devices", devices); err != nil {
			return err
		}
		if first && wanted > 0 {
			if err := allocate(client, devices, wanted); err != nil {
				return err
			}
			if err := tellSpecifications(); err != nil {
				return err
			}
		}
		unhealthy := 0
		for _, state := range devices {
			if state == plugin.Unhealthy {
				unhealthy++
			}
		}
		if unhealthy < unhealthyWanted {
			continue
		}
		if patience == 0 {
			return nil
		}
		time.AfterFunc(patience, stop)
	}
}

func run() error {
	wanted := flag.Int("allocate", 0, "how many devices one container asks for")
	unhealthy := flag.Int("until-unhealthy", 0, "how many unhealthy devices end the run")
	patience := flag.Duration("then-watch", 0, "for how long the list is followed after that")
	resources := flag.Int("resources", 1, "how many resources the plugin is to register; they are served one after the other")
	flag.Parse()
	if flag.NArg() == 0 {
		return errors.New("usage: fake-kubelet [OPTION...] PLUGIN [ARGUMENT...]")
	}

	socket, err := net.Listen("unix", plugin.KubeletSocket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	self := &kubelet{registered: make(chan *plugin.RegisterRequest, *resources)}
	plugin.RegisterRegistrationServer(server, self)
	go func() { _ = server.Serve(socket) }()
	defer server.Stop()

	child := exec.Command(flag.Arg(0), flag.Args()[1:]...)
	child.Stdout, child.Stderr = os.Stderr, os.Stderr
	if err := child.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for range *resources {
		select {
		case err := <-ended:
			return fmt.Errorf("the plugin ended before it registered: %w", err)
		case request := <-self.registered:
			err = serve(request, *wanted, *unhealthy, *patience)
		}
		if err != nil {
			break
		}
	}
	if failed := child.Process.Signal(syscall.SIGTERM); err == nil {
		err = failed
	}
	if failed := <-ended; err == nil {
		err = failed
	}
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fake-kubelet:", err)
		os.Exit(1)
	}
}
